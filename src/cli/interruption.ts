/** Listens for Ctrl-C and SIGTERM, so that work can stop at a good place. */
export interface Interruption extends Disposable {
  /** Whether either has come. */
  readonly asked: boolean;
}

/** Begins to listen. npm sends a signal twice, so every further one is taken for the same. */
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
