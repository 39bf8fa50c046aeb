import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Menu, menuPanelPart } from '@/ui/menu';

/** Called with the label of a chosen item, and the label of the element that has the focus then. */
const recordChoice = jest.fn();
const createItem = (label: string) => ({
  label,
  onSelect: () => {
    recordChoice(label, document.activeElement?.getAttribute('aria-label'));
  },
});

const renderMenu = () => {
  render(
    <Menu
      label="More about heron"
      icon={<i />}
      items={[createItem('First'), { ...createItem('Second'), tone: 'destructive' }]}
    />,
  );
  return { user: userEvent.setup(), button: screen.getByRole('button', { name: 'More about heron' }) };
};

// The code of the panel is loaded on demand.
beforeAll(() => menuPanelPart.preload());
beforeEach(() => recordChoice.mockReset());
afterEach(() => jest.restoreAllMocks());

it('a click opens the menu, which is named like its button, and Escape closes it without a choice', async () => {
  const { user, button } = renderMenu();
  expect(button).toHaveAttribute('aria-haspopup', 'menu');
  expect(button).toHaveAttribute('aria-expanded', 'false');
  await user.click(button);
  const menu = await screen.findByRole('menu', { name: 'More about heron' });
  expect(button).toHaveAttribute('aria-expanded', 'true');
  expect(button).toHaveAttribute('aria-controls', menu.id);
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(button).toHaveFocus();
  expect(recordChoice).not.toHaveBeenCalled();
});

it.each(['{Enter}', ' ', '{ArrowDown}'])(
  'a menu opens on the key %p with the first item focused',
  async (key) => {
    const { user, button } = renderMenu();
    await user.tab();
    expect(button).toHaveFocus();
    await user.keyboard(key);
    await screen.findByRole('menu');
    expect(screen.getByRole('menuitem', { name: 'First' })).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('menuitem', { name: 'Second' })).toHaveFocus();
  },
);

it('a menu opens at the second press if its code could not be loaded at the first', async () => {
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  // As after a failed load, rendering the panel throws.
  const getComponent = jest.spyOn(menuPanelPart, 'getComponent').mockReturnValue(() => {
    throw new Error('The code was not loaded');
  });
  const { user, button } = renderMenu();
  await user.click(button);
  expect(screen.queryByRole('menu')).toBeNull();
  expect(button).toHaveAttribute('aria-expanded', 'false');
  getComponent.mockRestore();
  await user.click(button);
  expect(await screen.findByRole('menu')).toBeVisible();
});

it('a menu runs an item chosen with the keyboard after the focus has returned to the button', async () => {
  const { user } = renderMenu();
  await user.tab();
  await user.keyboard('{Enter}');
  await screen.findByRole('menu');
  await user.keyboard('{ArrowDown}{Enter}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(recordChoice.mock.calls).toEqual([['Second', 'More about heron']]);
});

it('a menu runs a clicked item after the focus has returned to the button', async () => {
  const { user, button } = renderMenu();
  await user.click(button);
  await user.click(await screen.findByRole('menuitem', { name: 'First' }));
  expect(recordChoice.mock.calls).toEqual([['First', 'More about heron']]);
});
