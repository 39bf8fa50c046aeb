const adjectives =
  'amber,bold,brave,bright,calm,candid,cheery,clever,cosy,curious,dapper,eager,fair,fond,gentle,glad,golden,happy,honest,humble,jolly,keen,kind,lively,lucky,mellow,merry,mild,neat,nimble,patient,placid,plucky,polite,proud,quick,quiet,rapid,ready,silver,sincere,smart,snowy,spry,steady,sunny,swift,tidy,warm,witty'.split(
    ',',
  );
const animals =
  'badger,bear,beaver,bison,bobcat,cat,cheetah,crane,curlew,deer,dolphin,dove,eagle,egret,elk,falcon,ferret,finch,fox,gecko,hare,hawk,hedgehog,heron,ibex,jay,kestrel,koala,lark,lemur,lynx,marmot,marten,mole,moose,newt,otter,owl,panda,penguin,puffin,quail,rabbit,raven,robin,seal,sparrow,stork,swan,tern,tiger,turtle,walrus,weasel,whale,wombat,wren,yak,zebra'.split(
    ',',
  );

/**
 * Generates the first username of a user, such as "quiet-otter-4821". It is random, because a name derived from the
 * e-mail address would identify the user to strangers.
 * @param randomInt returns an integer of at least 0 and less than `below`.
 */
export const generateUsername = (randomInt: (below: number) => number): string => {
  const pickWord = (words: readonly string[]) => words[randomInt(words.length)] ?? '';
  const fourDigits = 1_000 + randomInt(9_000);
  return `${pickWord(adjectives)}-${pickWord(animals)}-${fourDigits}`;
};
