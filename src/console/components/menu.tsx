import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../language.ts';
import { Icon } from './icon.tsx';

/** A choice in a menu: a link if it has an address. */
export interface MenuItem {
  readonly label: ComponentChildren;
  readonly href?: string;
  readonly onSelect?: () => void;
  /** Set for one of several values: whether it is the current one. */
  readonly isChecked?: boolean;
}

interface MenuProps {
  /** What it is called: `Actions of Bella`. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What the button shows. */
  readonly children: ComponentChildren;
  readonly kind: string;
  /** Which control of a row the button is. */
  readonly control: string;
}

/** A button that opens a menu. The arrow keys step through it, Escape closes it. */
export function Menu({ label, items, children, kind, control }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  useLayoutEffect(() => {
    if (!isOpen || !menu.current || !button.current) return;
    placeBelow(menu.current, button.current.getBoundingClientRect());
    const first = menu.current.querySelector<HTMLElement>('[aria-checked="true"], [role]');
    first?.focus({ preventScroll: true });
  }, [isOpen]);

  function select(item: MenuItem) {
    menu.current?.hidePopover();
    item.onSelect?.();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={kind}
        popovertarget={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-control={control}
      >
        {children}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={stepThrough}
      >
        {isOpen &&
          items.map((item, place) => {
            const shared = {
              key: place,
              role: item.isChecked === undefined ? 'menuitem' : 'menuitemradio',
              tabIndex: -1,
              'aria-checked': item.isChecked,
              onClick: () => select(item),
            } as const;
            if (item.href === undefined) {
              return (
                <button type="button" {...shared}>
                  {item.label}
                </button>
              );
            }
            return (
              <a href={item.href} {...shared}>
                {item.label}
              </a>
            );
          })}
      </div>
    </>
  );
}

export function Actions({
  of,
  items,
}: {
  readonly of: string;
  readonly items: MenuProps['items'];
}) {
  return (
    <Menu label={t`Actions for ${of}`} kind="icon-button" control="actions" items={items}>
      <Icon name="more" />
    </Menu>
  );
}

function placeBelow({ style, offsetWidth, offsetHeight }: HTMLElement, button: DOMRect): void {
  const left = Math.min(button.left, document.documentElement.clientWidth - offsetWidth - 8);
  const isAbove = button.bottom + offsetHeight > innerHeight && button.top > offsetHeight;
  style.left = `${Math.max(8, left)}px`;
  style.top = `${isAbove ? button.top - offsetHeight : button.bottom}px`;
}

function stepThrough(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  // Keys mean something else in the row around it.
  event.stopPropagation();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role]')];
  const place = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: -1 }[event.key];
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}
