import { Monitor, Moon, Sun } from 'lucide-react';
import { chooseTheme, useThemeChoice, type ThemeChoice as Theme } from '@/product/theme';
import { ChoiceGroup } from '@/ui/choice-group';

const icons: Record<Theme, typeof Moon> = { dark: Moon, light: Sun, system: Monitor };

export interface ThemeChoiceProps {
  legend: string;
  labels: Record<Theme, string>;
  /** Shows labels next to the icons. */
  showsLabels?: boolean;
}

export const ThemeChoice = ({ legend, labels, showsLabels = false }: ThemeChoiceProps) => (
  // The prerendered page assumes the dark theme; until React runs, public/theme.js marks the chosen one.
  <div className="theme-choice">
    <ChoiceGroup
      legend={legend}
      isLegendHidden={!showsLabels}
      value={useThemeChoice()}
      choices={(['dark', 'light', 'system'] as const).map((value) => {
        const Icon = icons[value];
        return {
          value,
          label: labels[value],
          icon: <Icon aria-hidden="true" className="size-4" />,
          isLabelHidden: !showsLabels,
        };
      })}
      onChoose={chooseTheme}
    />
  </div>
);
