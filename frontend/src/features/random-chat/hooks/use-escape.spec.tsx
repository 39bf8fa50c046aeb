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

describe('Escape in the random chat', () => {
  it('acts on Escape pressed inside the chat', () => {
    const { onEscape, button } = setUp();
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenCalledWith({ isForToast: false });
  });

  it('says that an open toast is closed by the key', () => {
    const { onEscape, button } = setUp();
    toast({ title: 'Friend request sent' });
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: true });
    closeToast(useToasts.getState().shown?.id ?? 0);
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: false });
  });
});
