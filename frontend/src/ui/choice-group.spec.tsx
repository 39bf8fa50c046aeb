import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { ChoiceGroup } from '@/ui/choice-group';

const SizeChoice = ({ initialValue }: { initialValue?: string }) => {
  const [value, setValue] = useState(initialValue);
  return (
    <ChoiceGroup
      legend="Size"
      value={value}
      choices={[
        { value: 's', label: 'Small' },
        { value: 'm', label: 'Medium' },
        { value: 'l', label: 'Large' },
      ]}
      onChoose={setValue}
    />
  );
};

const getRadio = (name: string): HTMLElement => screen.getByRole('radio', { name });

it('the group has an accessible name, and a click chooses an option', async () => {
  render(<SizeChoice initialValue="s" />);
  expect(screen.getByRole('radiogroup', { name: 'Size' })).toBeVisible();
  await userEvent.click(screen.getByText('Large'));
  expect(getRadio('Large')).toBeChecked();
  expect(getRadio('Small')).not.toBeChecked();
});

it('the group is one tab stop, at the chosen option, and the arrow keys wrap around', async () => {
  const user = userEvent.setup();
  render(<SizeChoice initialValue="m" />);
  await user.tab();
  expect(getRadio('Medium')).toHaveFocus();
  await user.keyboard('{ArrowRight}');
  expect(getRadio('Large')).toHaveFocus();
  expect(getRadio('Large')).toBeChecked();
  await user.keyboard('{ArrowDown}');
  expect(getRadio('Small')).toBeChecked();
  await user.keyboard('{ArrowLeft}{ArrowUp}');
  expect(getRadio('Medium')).toBeChecked();
  await user.tab();
  expect(document.body).toHaveFocus();
});

it('Tab focuses the first option while none is chosen, and Space chooses it', async () => {
  const user = userEvent.setup();
  render(<SizeChoice />);
  await user.tab();
  expect(getRadio('Small')).toHaveFocus();
  expect(getRadio('Small')).not.toBeChecked();
  await user.keyboard(' ');
  expect(getRadio('Small')).toBeChecked();
});
