import { type ComponentProps } from 'react';
import { useHref, useLinkClickHandler } from 'react-router-dom';

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'onClick' | 'target'> & { to: string };

/**
 * A link within the application. React Router's own includes prefetching for its framework mode, 3 kB on every page.
 */
export const Link = ({ to, ...props }: LinkProps) => (
  <a {...props} href={useHref(to)} onClick={useLinkClickHandler(to)} />
);
