/*
 * Loaded before all tests. `expect(promise).rejects` waits in an event loop of its own, which sleeps until the next timer
 * although an immediate is due: what takes many turns would take seconds.
 */
const TURN_MS = 2;
setInterval(() => {}, TURN_MS).unref();
