import { useEffect } from 'react';

/** Prevents the browser from opening a file that is dropped outside a drop target, which would unload the page. */
export const useFileDropGuard = (): void => {
  useEffect(() => {
    const rejectFile = (event: DragEvent): void => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', rejectFile);
    window.addEventListener('drop', rejectFile);
    return () => {
      window.removeEventListener('dragover', rejectFile);
      window.removeEventListener('drop', rejectFile);
    };
  }, []);
};
