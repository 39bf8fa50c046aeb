import { ChevronRight, ExternalLink } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useBlocks } from '@/features/safety/api/blocks';
import { BlockedPeople } from '@/features/safety/components/blocked-people';
import { copy } from '@/features/safety/copy';
import {
  setBlurringPictures,
  setHidingInsults,
  useIsBlurringPictures,
  useIsHidingInsults,
} from '@/product/stranger-settings';
import { Button, buttonClass } from '@/ui/button';
import { Switch } from '@/ui/switch';

export interface SafetySettingsProps {
  userId: number;
  /** Shown after the button that opens the list of blocked people. */
  children?: ReactNode;
}

/** The section of Profile Settings about strangers and blocked people. */
export const SafetySettings = ({ userId, children }: SafetySettingsProps) => {
  const { data: blockedPeople } = useBlocks(userId);
  const [isListOpen, setListOpen] = useState(false);
  return (
    <section aria-labelledby="safety-settings" className="mt-6 grid gap-4 border-t border-border pt-5">
      <h3 id="safety-settings" className="text-md font-bold">
        {copy.settings.title}
      </h3>
      <Switch
        label={copy.settings.hideInsults}
        hint={copy.settings.hideInsultsHint}
        isOn={useIsHidingInsults()}
        onChange={setHidingInsults}
      />
      <Switch
        label={copy.settings.blurPictures}
        hint={copy.settings.blurPicturesHint}
        isOn={useIsBlurringPictures()}
        onChange={setBlurringPictures}
      />
      <Button variant="outline" aria-haspopup="dialog" className="w-full" onClick={() => setListOpen(true)}>
        <span className="flex-1 text-left">{copy.people.button(blockedPeople?.length)}</span>
        <ChevronRight aria-hidden="true" className="text-muted-foreground" />
      </Button>
      {children}
      {/* Opens in a new tab: leaving this page would end an active chat. */}
      <a
        href={copy.rules.href}
        target="_blank"
        rel="noopener"
        className={buttonClass({ variant: 'outline' }, 'w-full')}
      >
        <span className="flex-1 text-left">{copy.rules.item}</span>
        <ExternalLink aria-hidden="true" className="text-muted-foreground" />
      </a>
      {isListOpen ? <BlockedPeople userId={userId} onDismiss={() => setListOpen(false)} /> : null}
    </section>
  );
};
