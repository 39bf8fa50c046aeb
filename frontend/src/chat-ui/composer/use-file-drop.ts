import { useRef, useState, type DragEvent } from 'react';

const holdsFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>): boolean =>
  dataTransfer.types.includes('Files');

/**
 * Accepts a file that is dropped on an element or its descendants: the first one, if several are dropped. Spread
 * `handlers` on the element. While `onFile` is undefined, no files are accepted.
 */
export const useFileDrop = (onFile: ((file: File) => void) | undefined) => {
  const [isDraggingOver, setDraggingOver] = useState(false);
  /**
   * Number of elements entered minus number of elements left; 0 when the pointer is outside. Counted, because some
   * browsers do not say in `relatedTarget` of dragleave which element the pointer enters next.
   */
  const depth = useRef(0);
  const reset = (): void => {
    depth.current = 0;
    setDraggingOver(false);
  };
  const isAccepted = (event: DragEvent): boolean => onFile !== undefined && holdsFiles(event);
  return {
    isDraggingOver,
    handlers: {
      onDragEnter: (event: DragEvent) => {
        if (!isAccepted(event)) return;
        depth.current += 1;
        setDraggingOver(true);
      },
      onDragOver: (event: DragEvent) => {
        if (isAccepted(event)) event.preventDefault();
      },
      onDragLeave: () => {
        depth.current -= 1;
        // Negative for a drag that is not accepted, whose entered elements were not counted.
        if (depth.current <= 0) reset();
      },
      onDrop: (event: DragEvent) => {
        reset();
        if (!isAccepted(event)) return;
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file) onFile?.(file);
      },
    },
  };
};
