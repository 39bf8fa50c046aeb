import * as Tabs from 'radix-ui/tabs';
import { type ReactNode } from 'react';

export interface Tab {
  id: string;
  label: string;
  content: ReactNode;
}

/** Tabbed panels. The arrow keys move between tabs; a hidden panel stays mounted, so that it keeps its input. */
export const TabbedPanels = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <Tabs.Root defaultValue={tabs[0]?.id ?? ''}>
    <Tabs.List aria-label={label} className="flex gap-6 border-b border-border">
      {tabs.map((tab) => (
        <Tabs.Trigger
          key={tab.id}
          value={tab.id}
          className="-mb-px h-12 rounded-t-inner border-b-2 border-transparent px-1 text-base font-semibold text-muted-foreground transition-colors hover:text-foreground data-[state=active]:border-primary data-[state=active]:text-foreground"
        >
          {tab.label}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
    {tabs.map((tab) => (
      <Tabs.Content
        key={tab.id}
        value={tab.id}
        forceMount
        className="rounded-inner pt-6 outline-offset-4 data-[state=inactive]:hidden"
      >
        {tab.content}
      </Tabs.Content>
    ))}
  </Tabs.Root>
);
