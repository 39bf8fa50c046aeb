import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useRovingFocus, type RovingFocusOptions } from '@/ui/roving-focus';

const Group = (options: RovingFocusOptions) => {
  const { group, getItemProps } = useRovingFocus(options);
  return (
    <>
      <div role="toolbar" {...group}>
        {['one', 'two', 'three', 'four', 'five'].map((name, index) => (
          <button key={name} {...getItemProps(index)}>
            {name}
          </button>
        ))}
      </div>
      <button>after</button>
    </>
  );
};

const getButton = (name: string): HTMLElement => screen.getByRole('button', { name });

/** Mocks a layout with three items in the first row, because jsdom has no layout. */
const mockRows = (): void => {
  jest.spyOn(HTMLElement.prototype, 'offsetTop', 'get').mockImplementation(function (this: HTMLElement) {
    return ['four', 'five'].includes(this.textContent) ? 44 : 0;
  });
};

afterEach(() => jest.restoreAllMocks());

it('makes the group one tab stop, in which the arrow keys wrap around', async () => {
  const user = userEvent.setup();
  render(<Group />);
  await user.tab();
  expect(getButton('one')).toHaveFocus();
  await user.keyboard('{ArrowLeft}');
  expect(getButton('five')).toHaveFocus();
  await user.keyboard('{Home}{ArrowRight}');
  expect(getButton('two')).toHaveFocus();
  await user.tab();
  expect(getButton('after')).toHaveFocus();
  await user.tab({ shift: true });
  expect(getButton('two')).toHaveFocus();
});

it('moves by rows in a grid, but not beyond its edges', async () => {
  mockRows();
  const user = userEvent.setup();
  render(<Group isGrid />);
  await user.tab();
  await user.keyboard('{ArrowDown}');
  expect(getButton('four')).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(getButton('four')).toHaveFocus();
  await user.keyboard('{ArrowRight}{ArrowUp}');
  expect(getButton('two')).toHaveFocus();
  await user.keyboard('{End}');
  expect(getButton('five')).toHaveFocus();
});

it('reports the item that an arrow key moved to', async () => {
  const onMove = jest.fn();
  const user = userEvent.setup();
  render(<Group initialIndex={2} onMove={onMove} />);
  await user.tab();
  expect(getButton('three')).toHaveFocus();
  await user.keyboard('{ArrowUp}');
  expect(onMove).toHaveBeenCalledWith(1);
});
