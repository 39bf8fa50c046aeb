interface MenuAction {
  label: string;
  tone?: 'neutral' | 'destructive';
  /** Called when the menu has closed and the focus is back on the button. */
  onSelect: () => void;
  href?: never;
}

/** A page that opens in a tab of its own. */
interface MenuLink {
  label: string;
  tone?: never;
  onSelect?: never;
  href: string;
}

export type MenuItem = MenuAction | MenuLink;
