import { copy } from '@/features/profile/copy';
import { chooseSearchAtOnce, useSearchesAtOnce } from '@/product/search-at-once';
import { chooseSound, useSoundChoice } from '@/product/sound-choice';
import { ThemeChoice } from '@/product/theme-choice';
import { Switch } from '@/ui/switch';

/** Settings that this browser stores; they apply at once and need no save button. */
export const DeviceSettings = () => {
  const isSoundOn = useSoundChoice();
  return (
    <section aria-labelledby="device-settings" className="mt-6 grid gap-4 border-t border-border pt-5">
      <h3 id="device-settings" className="text-md font-bold">
        {copy.device.title}
      </h3>
      <ThemeChoice legend={copy.account.theme} labels={copy.account.themes} isLabelled />
      <Switch
        label={copy.device.sound}
        hint={copy.device.soundHint}
        isOn={isSoundOn}
        onChange={chooseSound}
      />
      <Switch
        label={copy.device.searchAtOnce}
        hint={copy.device.searchAtOnceHint}
        isOn={useSearchesAtOnce()}
        onChange={chooseSearchAtOnce}
      />
    </section>
  );
};
