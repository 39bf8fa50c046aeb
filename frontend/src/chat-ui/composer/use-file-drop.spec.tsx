import { createEvent, fireEvent, render, screen } from '@testing-library/react';
import { useFileDrop } from '@/chat-ui/composer/use-file-drop';
import { useFileDropGuard } from '@/lib/drop-guard';

const photo = new File(['x'], 'photo.png', { type: 'image/png' });
const dataTransfer = { types: ['Files'], files: [photo] };

const DropTarget = ({ onFile }: { onFile?: (file: File) => void }) => {
  const { isDraggingOver, handlers } = useFileDrop(onFile);
  useFileDropGuard();
  return (
    <>
      <div data-testid="target" {...handlers}>
        <span>inside</span>
        {isDraggingOver ? <b>drop here</b> : null}
      </div>
      <aside>beside</aside>
    </>
  );
};

const fireDragEvent = (type: 'dragOver' | 'drop', element: Element): Event => {
  const event = createEvent[type](element, { dataTransfer });
  fireEvent(element, event);
  return event;
};

it('shows the overlay while the pointer is inside, also in browsers that leave `relatedTarget` null', () => {
  render(<DropTarget onFile={jest.fn()} />);
  const target = screen.getByTestId('target');
  fireEvent.dragEnter(target, { dataTransfer });
  fireEvent.dragEnter(screen.getByText('inside'), { dataTransfer });
  fireEvent.dragLeave(target, { dataTransfer, relatedTarget: null });
  expect(screen.getByText('drop here')).toBeInTheDocument();
  fireEvent.dragLeave(screen.getByText('inside'), { dataTransfer, relatedTarget: null });
  expect(screen.queryByText('drop here')).not.toBeInTheDocument();
});

it('accepts a file dropped inside and hides the overlay', () => {
  const onFile = jest.fn();
  render(<DropTarget onFile={onFile} />);
  fireEvent.dragEnter(screen.getByTestId('target'), { dataTransfer });
  expect(fireDragEvent('drop', screen.getByText('inside')).defaultPrevented).toBe(true);
  expect(onFile).toHaveBeenCalledWith(photo);
  expect(screen.queryByText('drop here')).not.toBeInTheDocument();
});

it('prevents the browser from opening a file dropped outside the target, or on a target that accepts no files', () => {
  render(<DropTarget />);
  for (const element of [screen.getByText('beside'), screen.getByText('inside')]) {
    expect(fireDragEvent('dragOver', element).defaultPrevented).toBe(true);
    expect(fireDragEvent('drop', element).defaultPrevented).toBe(true);
  }
});
