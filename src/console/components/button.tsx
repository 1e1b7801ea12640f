import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'label'> {
  /** How it looks, one or more of them: `primary`, `danger`, `quiet`, `small`. */
  readonly kind?: string;
  readonly icon?: IconName;
  /** What it is called, if its text alone says too little: `Rename Dog`. */
  readonly label?: string;
  /** Whether it does nothing now. It can still have the focus. */
  readonly isDisabled?: boolean | undefined;
  readonly children?: ComponentChildren;
}

/** A button. */
export function Button({
  kind = '',
  icon,
  label,
  isDisabled,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`.trimEnd()}
      aria-label={label}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
