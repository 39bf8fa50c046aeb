import { useRef, useState, type DragEvent } from 'react';

const holdsFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>): boolean =>
  dataTransfer.types.includes('Files');

/** Accepts a file dropped on an element or its descendants; `onFile` is undefined while none is accepted. */
export const useFileDrop = (onFile: ((file: File) => void) | undefined) => {
  const [isDropping, setDropping] = useState(false);
  /** Nesting depth of dragenter events: not every browser reports the element that the pointer enters next. */
  const depth = useRef(0);
  const reset = (): void => {
    depth.current = 0;
    setDropping(false);
  };
  const isAccepted = (event: DragEvent): boolean => onFile !== undefined && holdsFiles(event);
  return {
    isDropping,
    handlers: {
      onDragEnter: (event: DragEvent) => {
        if (!isAccepted(event)) return;
        depth.current += 1;
        setDropping(true);
      },
      onDragOver: (event: DragEvent) => {
        if (isAccepted(event)) event.preventDefault();
      },
      onDragLeave: () => {
        depth.current -= 1;
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
