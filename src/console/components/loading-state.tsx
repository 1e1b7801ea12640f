/** Shown where something is being loaded for the first time. */
export function LoadingState() {
  return (
    <p class="state loading" role="status">
      Loading…
    </p>
  );
}
