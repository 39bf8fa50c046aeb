import { Monitor, Moon, Sun } from 'lucide-react';
import { chooseTheme, themeChoices, useThemeChoice, type ThemeChoice as Choice } from '@/product/theme';
import { ChoiceGroup } from '@/ui/choice-group';

const icons: Record<Choice, typeof Moon> = { dark: Moon, light: Sun, system: Monitor };

export interface ThemeChoiceProps {
  legend: string;
  labels: Record<Choice, string>;
  /** Shows the legend and the labels. Otherwise only screen readers read them. */
  showsLabels?: boolean;
}

export const ThemeChoice = ({ legend, labels, showsLabels = false }: ThemeChoiceProps) => (
  // The prerendered page assumes the dark theme. Until React runs, src/styles/base.css marks the choice that
  // public/theme.js has read; it finds the buttons by this class and by their order.
  <div className="theme-choice">
    <ChoiceGroup
      legend={legend}
      isLegendHidden={!showsLabels}
      value={useThemeChoice()}
      choices={themeChoices.map((value) => {
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
