/** Remembers Ctrl-C and SIGTERM, so that work can stop where it is safe. */
export interface Interruption extends Disposable {
  readonly asked: boolean;
}

/** Starts to listen. Further signals change nothing: npm sends each one twice. */
export function listenForInterruption(): Interruption {
  let asked = false;
  const ask = () => {
    asked = true;
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return {
    get asked() {
      return asked;
    },
    [Symbol.dispose]() {
      process.off('SIGINT', ask);
      process.off('SIGTERM', ask);
    },
  };
}
