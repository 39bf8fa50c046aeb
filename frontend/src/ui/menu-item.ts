interface MenuAction {
  label: string;
  tone?: 'neutral' | 'destructive';
  /** Called when the menu has closed and the focus is back on the button that opens it. */
  onSelect: () => void;
  href?: never;
}

/** A link that opens in a new tab. */
interface MenuLink {
  label: string;
  tone?: never;
  onSelect?: never;
  href: string;
}

export type MenuItem = MenuAction | MenuLink;
