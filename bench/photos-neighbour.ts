/**
 * Started by photos.ts with a base address and a key: asks for one animal again and again, at most 500
 * times a second, and prints how long it took once its standard input ends.
 */
const [, , base = '', key = ''] = process.argv;
const LEAST = 2_000;

let isDone = false;
void Bun.stdin.text().then(() => {
  isDone = true;
});
const taken: number[] = [];
while (!isDone || taken.length < LEAST) {
  const startedAt = performance.now();
  const response = await fetch(`${base}/pets/1`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  taken.push(performance.now() - startedAt);
  await Bun.sleep(2);
}
taken.sort((a, b) => a - b);
const at = (share: number) => taken[Math.floor(taken.length * share)]?.toFixed(1);
process.stdout.write(`p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${taken.length} requests)`);

export {};
