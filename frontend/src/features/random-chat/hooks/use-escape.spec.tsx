import { fireEvent, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { useEscape, type EscapePress } from '@/features/random-chat/hooks/use-escape';
import { closeToast, toast, useToasts } from '@/ui/toast-store';

const EscapeArea = ({ onEscape }: { onEscape: (press: EscapePress) => void }) => {
  const area = useRef<HTMLElement>(null);
  useEscape(area, onEscape);
  return (
    <section ref={area}>
      <button type="button">inside</button>
    </section>
  );
};

const renderEscapeArea = () => {
  const onEscape = jest.fn();
  render(<EscapeArea onEscape={onEscape} />);
  return { onEscape, button: screen.getByRole('button', { name: 'inside' }) };
};

describe('useEscape', () => {
  it('calls onEscape for an Escape inside the container', () => {
    const { onEscape, button } = renderEscapeArea();
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenCalledWith({ isForToast: false });
  });

  it('reports with isForToast whether a toast is open', () => {
    const { onEscape, button } = renderEscapeArea();
    toast({ title: 'Friend request sent' });
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: true });
    closeToast(useToasts.getState().shown!.id);
    fireEvent.keyDown(button, { key: 'Escape' });
    expect(onEscape).toHaveBeenLastCalledWith({ isForToast: false });
  });
});
