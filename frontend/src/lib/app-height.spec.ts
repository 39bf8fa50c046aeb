import { act, renderHook } from '@testing-library/react';
import { useAppHeight } from '@/lib/app-height';

class FakeViewport extends EventTarget {
  height = 700;
  scale = 1;
  offsetTop = 0;

  change(changes: Partial<Pick<FakeViewport, 'height' | 'scale' | 'offsetTop'>>): void {
    Object.assign(this, changes);
    act(() => void this.dispatchEvent(new Event('resize')));
  }
}

const readAppHeight = (): string => document.documentElement.style.getPropertyValue('--app-height');

const renderAppHeight = ({ isCoarse = true } = {}) => {
  const viewport = new FakeViewport();
  Object.assign(window, { visualViewport: viewport });
  jest
    .spyOn(window, 'matchMedia')
    .mockImplementation(
      (media) => ({ matches: isCoarse && media === '(pointer: coarse)', media }) as MediaQueryList,
    );
  const scrollTo = jest.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
  return { viewport, scrollTo, ...renderHook(() => useAppHeight()) };
};

afterEach(() => jest.restoreAllMocks());

it('useAppHeight shrinks the page when the keyboard opens, and undoes the panning of iOS', () => {
  const { viewport, scrollTo, unmount } = renderAppHeight();
  expect(readAppHeight()).toBe('700px');
  viewport.change({ height: 380, offsetTop: 120 });
  expect(readAppHeight()).toBe('380px');
  expect(scrollTo).toHaveBeenCalledWith(0, 0);
  viewport.change({ height: 700, offsetTop: 0 });
  expect(readAppHeight()).toBe('700px');
  unmount();
  expect(readAppHeight()).toBe('');
});

it('useAppHeight keeps the size and the scroll position of a pinch-zoomed page', () => {
  const { viewport, scrollTo } = renderAppHeight();
  viewport.change({ height: 350, scale: 2, offsetTop: 200 });
  expect(readAppHeight()).toBe('700px');
  expect(scrollTo).not.toHaveBeenCalled();
});

it('useAppHeight does not change the height on devices with a mouse', () => {
  renderAppHeight({ isCoarse: false });
  expect(readAppHeight()).toBe('');
});
