import { type ComponentProps } from 'react';
import { useHref, useLinkClickHandler } from 'react-router-dom';

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'onClick' | 'target'> & { to: string };

/**
 * A link within the application. React Router's `Link` would add 3 kB on every page for the prefetching of its
 * framework mode.
 */
export const Link = ({ to, ...props }: LinkProps) => (
  <a {...props} href={useHref(to)} onClick={useLinkClickHandler(to)} />
);
