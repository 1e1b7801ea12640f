import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasMoved } from '../router.ts';

interface PageHeaderProps {
  readonly title: string;
  /** Buttons for the page as a whole. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. It names the tab, and gets the focus when the person comes to the page. */
export function PageHeader({ title, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Petstore`;
  }, [title]);
  useEffect(() => {
    if (hasMoved()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="page-heading">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div class="page-actions">{children}</div>
    </header>
  );
}
