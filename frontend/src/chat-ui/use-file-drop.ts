import { useRef, useState, type DragEvent } from 'react';

const holdsFiles = ({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>): boolean =>
  dataTransfer.types.includes('Files');

/** Takes a file that is dropped on an element and its descendants; `onFile` undefined while none can be taken. */
export const useFileDrop = (onFile: ((file: File) => void) | undefined) => {
  const [isDropping, setDropping] = useState(false);
  /** How many elements the pointer is inside of: not every browser says which one it leaves for. */
  const depth = useRef(0);
  const end = (): void => {
    depth.current = 0;
    setDropping(false);
  };
  const isMine = (event: DragEvent): boolean => onFile !== undefined && holdsFiles(event);
  return {
    isDropping,
    handlers: {
      onDragEnter: (event: DragEvent) => {
        if (!isMine(event)) return;
        depth.current += 1;
        setDropping(true);
      },
      onDragOver: (event: DragEvent) => {
        if (isMine(event)) event.preventDefault();
      },
      onDragLeave: () => {
        depth.current -= 1;
        if (depth.current <= 0) end();
      },
      onDrop: (event: DragEvent) => {
        end();
        if (!isMine(event)) return;
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file) onFile?.(file);
      },
    },
  };
};
