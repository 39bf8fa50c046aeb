import { fireEvent, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { useEscape } from '@/features/random-chat/hooks/use-escape';
import { closeToast, toast, useToasts } from '@/ui/toast-store';

const Place = ({ onEscape }: { onEscape: () => void }) => {
  const place = useRef<HTMLElement>(null);
  useEscape(place, onEscape);
  return (
    <section ref={place}>
      <button type="button">inside</button>
    </section>
  );
};

const setUp = () => {
  const onEscape = jest.fn();
  render(<Place onEscape={onEscape} />);
  return { onEscape, button: screen.getByRole('button', { name: 'inside' }) };
};

describe('useEscape', () => {
  it('reacts to Escape inside the chat', () => {
    const { onEscape, button } = setUp();
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenCalledWith({ isForToast: false });
  });

  it('reports whether the key closes an open toast', () => {
    const { onEscape, button } = setUp();
    toast({ title: 'Friend request sent' });
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: true });
    closeToast(useToasts.getState().shown?.id ?? 0);
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: false });
  });
});
