import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { IdlePart } from '@/ui/idle-part';
import { createPart, type Part } from '@/ui/loaded-part';

const randomPart = createPart(async () => (await import('@/app/shell/suggestions')).RandomChatSuggestions);
const privatePart = createPart(async () => (await import('@/app/shell/suggestions')).PrivateChatSuggestions);

const createPlace = (part: Part<IdeasProps>) => (place: IdeasProps) => (
  <IdlePart part={part} pending={place.isFree ? <span className={place.buttonClass} /> : null}>
    {(Suggestions) => <Suggestions {...place} />}
  </IdlePart>
);

export const renderRandomChatIdeas = createPlace(randomPart);
export const renderPrivateChatIdeas = createPlace(privatePart);
