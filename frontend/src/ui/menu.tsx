import { useId, useRef, useState, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { type MenuItem } from '@/ui/menu-item';

/** Exported, so that the chat page can preload it. */
export const menuPanelPart = createPart(async () => (await import('@/ui/menu-panel')).MenuPanel);

export interface MenuProps {
  /** Names the button and the menu. */
  label: string;
  icon: ReactNode;
  items: readonly MenuItem[];
  /** Makes the button 28 px wide, to fit at the edge of a control. Its hit area is not larger than the button. */
  isSmall?: boolean;
  tabIndex?: number | undefined;
  className?: string | undefined;
}

/** An icon button with a menu. The code of the menu is loaded when the button is first hovered, focused or pressed. */
export const Menu = ({ label, icon, items, isSmall = false, tabIndex, className }: MenuProps) => {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  // The panel is mounted before it opens, so that Radix can detect whether a key opened the menu.
  const [isPanelMounted, setPanelMounted] = useState(false);
  const mountPanel = (): void => setPanelMounted(true);
  const mountAndSetOpen = (shouldOpen: boolean): void => {
    mountPanel();
    setOpen(shouldOpen);
  };
  return (
    <>
      <Button
        ref={trigger}
        id={`${id}-button`}
        variant="ghost"
        size="icon"
        tabIndex={tabIndex}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-menu` : undefined}
        className={cn(
          'text-muted-foreground',
          isSmall && 'size-7 rounded-full border border-border bg-popover after:hidden',
          className,
        )}
        onPointerEnter={mountPanel}
        onFocus={mountPanel}
        onClick={() => mountAndSetOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          mountAndSetOpen(true);
        }}
      >
        {icon}
      </Button>
      {isPanelMounted ? (
        // If the code does not load, no menu appears. The next press of the button loads it again.
        <LoadedPart
          part={menuPanelPart}
          renderFailure={() => null}
          onFailure={() => setOpen(false)}
          resetKeys={[isOpen]}
        >
          {(MenuPanel) => (
            <MenuPanel
              id={`${id}-menu`}
              trigger={trigger}
              isOpen={isOpen}
              onOpenChange={setOpen}
              labelledBy={`${id}-button`}
              items={items}
            />
          )}
        </LoadedPart>
      ) : null}
    </>
  );
};
