import type { ComponentChildren } from 'preact';

interface EmptyStateProps {
  readonly title: string;
  /** What can be done about it. */
  readonly text: string;
  /** Buttons and links to do it. */
  readonly children?: ComponentChildren;
}

/** Shown in the place of a list with nothing in it. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <section class="state">
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div class="state-actions">{children}</div>}
    </section>
  );
}
