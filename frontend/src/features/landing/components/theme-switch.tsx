import { Monitor, Moon, Sun } from 'lucide-react';
import { copy } from '@/features/landing/copy';
import { chooseTheme, useThemeChoice } from '@/lib/theme';
import { ChoiceGroup } from '@/ui/choice-group';

const choices = [
  { value: 'dark', label: copy.theme.dark, icon: <Moon aria-hidden="true" className="size-4" /> },
  { value: 'light', label: copy.theme.light, icon: <Sun aria-hidden="true" className="size-4" /> },
  { value: 'system', label: copy.theme.system, icon: <Monitor aria-hidden="true" className="size-4" /> },
] as const;

export const ThemeSwitch = () => (
  <ChoiceGroup
    legend={copy.theme.label}
    isLegendHidden
    value={useThemeChoice()}
    choices={choices}
    onChoose={chooseTheme}
  />
);
