/** Creates places that callers take for a while, counted for each of them. All are free. */
export function createPlaces() {
  const taken = new Map<bigint, number>();
  return {
    /**
     * Takes a place for a caller, who may have `max` of them at a time. Returns false if all of these
     * are taken.
     */
    take(callerId: bigint, max: number): boolean {
      const count = taken.get(callerId) ?? 0;
      if (count >= max) return false;
      taken.set(callerId, count + 1);
      return true;
    },
    /** Gives a place back. */
    release(callerId: bigint): void {
      const left = (taken.get(callerId) ?? 1) - 1;
      // Callers without places take no memory.
      if (left === 0) taken.delete(callerId);
      else taken.set(callerId, left);
    },
  };
}
