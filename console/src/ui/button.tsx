import { Link, type LinkProps } from '@tanstack/react-router';
import type { ButtonHTMLAttributes, ReactNode } from 'react';

type ButtonVariant = 'primary' | 'danger' | 'plain' | 'link';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant | undefined;
  /** What the button started still runs: it can be focused, but not used again. */
  pending?: boolean | undefined;
};

/** A button. It submits a form only with `type="submit"`. */
export function Button({
  variant = 'plain',
  pending = false,
  className = '',
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${variant} ${className}`}
      aria-disabled={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : rest.onClick}
    />
  );
}

/** A link to another page of the console that looks like a button. */
export function ButtonLink({
  variant = 'plain',
  children,
  ...link
}: LinkProps & { variant?: ButtonVariant; children: ReactNode }) {
  return (
    <Link {...link} className={`button ${variant}`}>
      {children}
    </Link>
  );
}
