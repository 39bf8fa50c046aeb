import { act, renderHook } from '@testing-library/react';
import { setSoundOn, isSoundOn, useIsSoundOn } from '@/product/sound-choice';

beforeEach(() => localStorage.clear());

it('sound is off by default', () => {
  expect(isSoundOn()).toBe(false);
});

it('setSoundOn stores the setting and updates its subscribers', () => {
  const { result } = renderHook(useIsSoundOn);
  act(() => setSoundOn(true));
  expect(result.current).toBe(true);
  expect(localStorage.getItem('thaw-sound')).toBe('on');
  act(() => setSoundOn(false));
  expect(result.current).toBe(false);
});

it('useIsSoundOn returns the setting chosen in another tab', () => {
  const { result } = renderHook(useIsSoundOn);
  localStorage.setItem('thaw-sound', 'on');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'thaw-sound' })));
  expect(result.current).toBe(true);
});
