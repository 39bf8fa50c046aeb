import { useEffect } from 'react';

/** A file that is dropped where nothing takes it would replace the application by the file. */
export const useDropGuard = (): void => {
  useEffect(() => {
    const guard = (event: DragEvent): void => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', guard);
    window.addEventListener('drop', guard);
    return () => {
      window.removeEventListener('dragover', guard);
      window.removeEventListener('drop', guard);
    };
  }, []);
};
