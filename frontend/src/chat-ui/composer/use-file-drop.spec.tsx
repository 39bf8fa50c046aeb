import { createEvent, fireEvent, render, screen } from '@testing-library/react';
import { useFileDrop } from '@/chat-ui/composer/use-file-drop';
import { useDropGuard } from '@/lib/drop-guard';

const photo = new File(['x'], 'photo.png', { type: 'image/png' });
const dataTransfer = { types: ['Files'], files: [photo], dropEffect: 'copy' };

const Place = ({ onFile }: { onFile?: (file: File) => void }) => {
  const { isDropping, handlers } = useFileDrop(onFile);
  useDropGuard();
  return (
    <>
      <div data-testid="place" {...handlers}>
        <span>inside</span>
        {isDropping ? <b>drop here</b> : null}
      </div>
      <aside>beside</aside>
    </>
  );
};

const fire = (type: 'dragOver' | 'drop', element: Element): Event => {
  const event = createEvent[type](element, { dataTransfer });
  fireEvent(element, event);
  return event;
};

it('shows the overlay while the pointer is inside, also in browsers that report no related element', () => {
  render(<Place onFile={jest.fn()} />);
  const place = screen.getByTestId('place');
  fireEvent.dragEnter(place, { dataTransfer });
  fireEvent.dragEnter(screen.getByText('inside'), { dataTransfer });
  fireEvent.dragLeave(place, { dataTransfer, relatedTarget: null });
  expect(screen.getByText('drop here')).toBeInTheDocument();
  fireEvent.dragLeave(screen.getByText('inside'), { dataTransfer, relatedTarget: null });
  expect(screen.queryByText('drop here')).not.toBeInTheDocument();
});

it('accepts a file dropped inside and hides the overlay', () => {
  const onFile = jest.fn();
  render(<Place onFile={onFile} />);
  fireEvent.dragEnter(screen.getByTestId('place'), { dataTransfer });
  expect(fire('drop', screen.getByText('inside')).defaultPrevented).toBe(true);
  expect(onFile).toHaveBeenCalledWith(photo);
  expect(screen.queryByText('drop here')).not.toBeInTheDocument();
});

it('prevents the browser from opening a file that is dropped outside, or where none is accepted', () => {
  render(<Place />);
  for (const element of [screen.getByText('beside'), screen.getByText('inside')]) {
    expect(fire('dragOver', element).defaultPrevented).toBe(true);
    expect(fire('drop', element).defaultPrevented).toBe(true);
  }
});
