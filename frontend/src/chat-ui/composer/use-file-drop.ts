import { useRef, useState, type DragEvent } from 'react';

const holdsFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>): boolean =>
  dataTransfer.types.includes('Files');

/** Accepts a file dropped on an element or its descendants; files are not accepted while `onFile` is undefined. */
export const useFileDrop = (onFile: ((file: File) => void) | undefined) => {
  const [isDropping, setDropping] = useState(false);
  /**
   * Entered elements minus left ones; 0 when the pointer is outside. Counted, because `relatedTarget` of dragleave, the
   * element that the pointer enters next, is missing in some browsers.
   */
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
