import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as a server has received it. */
export interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and text, as they arrived. */
  readonly raw: string;
}

/** A real mail server. `answer` may refuse a mail with an error that has a `responseCode`. */
export async function startReceiver(
  answer: () => Promise<Error | undefined> | Error | undefined = () => undefined,
  options: SMTPServerOptions = { authOptional: true, disabledCommands: ['STARTTLS'] },
  port = 0,
) {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    ...options,
    onConnect(session, callback) {
      connections++;
      if (options.onConnect) options.onConnect(session, callback);
      else callback();
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const refusal = await answer();
      if (refusal === undefined) {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, raw: Buffer.concat(chunks).toString() });
      }
      callback(refusal);
    },
  });
  // A client that goes away in the middle is no failure of the test.
  server.on('error', () => {});
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const bound = (server.server.address() as { readonly port: number }).port;
  return {
    mails,
    port: bound,
    connections: () => connections,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${bound}`,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** The answer of a server that refuses with a code. */
export function refusal(responseCode: number, message = 'refused'): Error {
  return Object.assign(new Error(message), { responseCode });
}
