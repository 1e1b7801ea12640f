import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'label' | 'onClick'> {
  /** How it looks, one or more of them: `primary`, `danger`, `quiet`, `small`. */
  readonly kind?: string;
  readonly icon?: IconName;
  /** What it is called, if its text alone says too little: `Rename Dog`. */
  readonly label?: string;
  /** Whether it does nothing now. It can still have the focus. */
  readonly isDisabled?: boolean | undefined;
  /** It can be pressed again when this is done. What it throws is told to the person. */
  readonly onClick?: (event: MouseEvent & { currentTarget: HTMLButtonElement }) => unknown;
  readonly children?: ComponentChildren;
}

export function Button({
  kind = '',
  icon,
  label,
  isDisabled,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const isIdle = !isDisabled && !isBusy;

  return (
    <button
      type="button"
      class={`button ${kind}`.trimEnd()}
      aria-label={label}
      aria-disabled={isIdle ? undefined : true}
      onClick={(event) => {
        const work = isIdle && onClick?.(event);
        if (!(work instanceof Promise)) return;
        setBusy(true);
        void work.finally(() => setBusy(false));
      }}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
