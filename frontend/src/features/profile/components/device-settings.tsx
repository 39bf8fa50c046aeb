import { copy } from '@/features/profile/copy';
import { copy as formCopy } from '@/features/profile/forms/copy';
import { setSearchAtOnceOn, useIsSearchAtOnceOn } from '@/product/search-at-once';
import { setSoundOn, useIsSoundOn } from '@/product/sound-choice';
import { ThemeChoice } from '@/product/theme-choice';
import { Switch } from '@/ui/switch';

/**
 * Settings that this browser stores; they apply immediately and need no save button. `searchAtOnce`: the button New
 * Conversation immediately starts a search.
 */
export const DeviceSettings = () => {
  const isSoundOn = useIsSoundOn();
  return (
    <section aria-labelledby="device-settings" className="mt-6 grid gap-4 border-t border-border pt-5">
      <h3 id="device-settings" className="text-md font-bold">
        {formCopy.device.title}
      </h3>
      <ThemeChoice legend={copy.account.theme} labels={copy.account.themes} showsLabels />
      <Switch
        label={formCopy.device.sound}
        hint={formCopy.device.soundHint}
        isOn={isSoundOn}
        onChange={setSoundOn}
      />
      <Switch
        label={formCopy.device.searchAtOnce}
        hint={formCopy.device.searchAtOnceHint}
        isOn={useIsSearchAtOnceOn()}
        onChange={setSearchAtOnceOn}
      />
    </section>
  );
};
