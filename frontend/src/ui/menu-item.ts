export interface MenuItem {
  label: string;
  tone?: 'neutral' | 'destructive';
  /** Called when the menu has closed and the focus is back on the button. */
  onSelect: () => void;
}
