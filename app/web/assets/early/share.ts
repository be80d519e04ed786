// Runs before the page is drawn, so that nothing moves: the width that was last given to the statement.
import { recall } from "../page/memory";
import { MEMORY, setShare } from "../page/share";

const share = Number(recall(MEMORY));
if (share) setShare(share);
