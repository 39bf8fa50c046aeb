import { fireEvent, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { useEscape } from '@/features/random-chat/components/use-escape';

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
    expect(onEscape).toHaveBeenCalledTimes(1);
  });

  it('leaves an Escape alone that a toast has already used to close itself', () => {
    const { onEscape, button } = setUp();
    const closeToast = (event: KeyboardEvent): void => event.preventDefault();
    document.addEventListener('keydown', closeToast, { capture: true });
    fireEvent.keyDown(button, { key: 'Escape' });
    document.removeEventListener('keydown', closeToast, { capture: true });
    expect(onEscape).not.toHaveBeenCalled();
  });
});
