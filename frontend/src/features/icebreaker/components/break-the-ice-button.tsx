import { copy } from '@/features/icebreaker/copy';
import { IceCube } from '@/features/icebreaker/components/ice-cube';
import { Button } from '@/ui/button';

/** On a telephone the cube alone, with the same name. */
export const BreakTheIceButton = ({ isEnabled, onPress }: { isEnabled: boolean; onPress: () => void }) => (
  <Button
    variant="secondary"
    disabled={!isEnabled}
    className="bg-ice-surface hover:bg-ice-surface max-md:size-11 max-md:px-0 [&_svg]:text-ice"
    onClick={onPress}
  >
    <IceCube />
    <span className="max-md:sr-only">{copy.start}</span>
  </Button>
);
