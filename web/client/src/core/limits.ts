// Every limit of the clients, by name. The protocol's limits are the hub's (crates/eye-protocol/src/limits.rs).

import { FRAME_BYTES_MAX } from "../generated/protocol.js";

export { BATCH_FRAMES_MAX, FRAME_BYTES_MAX, MESSAGE_BYTES_MAX } from "../generated/protocol.js";

/** A message of this size is sent at once, so that a large answer does not wait for small ones. */
export const MESSAGE_CHARS_GOAL = 1024 * 1024;

/** How long answers wait to be sent together. */
export const FLUSH_MS = 1;

/** Each member takes at least two bytes, so a value with more members cannot fit into a frame. */
export const VALUE_MEMBERS_MAX = FRAME_BYTES_MAX / 2;

/** Below the 128 levels at which common JSON parsers stop. */
export const VALUE_DEPTH_MAX = 100;

/** Limits for the copy of a value that JSON cannot hold exactly. */
export const COPY_MEMBERS_MAX = 1_000_000;
export const COPY_INSTANCES_MAX = 10_000;
export const COPY_INSTANCE_DEPTH_MAX = 4;

export const ELEMENT_TEXT_CHARS_MAX = 40;
export const ELEMENT_TEXT_NODES_MAX = 64;
export const TYPED_ARRAY_ITEMS_MAX = 32;
export const FUNCTION_CHARS_MAX = 80;
export const ERROR_CHARS_MAX = 64 * 1024;
export const STACK_CHARS_MAX = 8 * 1024;

/** A patch up to this size is sent even if the whole document is shorter: it shows what changed. */
export const PATCH_CHARS_ALWAYS = 1024;
export const STATE_THROTTLE_MS = 50;

export const PROGRAMS_KEPT_MAX = 256;
export const PROGRAM_CHARS_KEPT_MAX = 64 * 1024;
export const CUT_TRIES_MAX = 16;

/** A page's logs are kept as short texts, and only the latest. */
export const LOG_ENTRIES_MAX = 256;
export const LOG_READERS_MAX = 64;
export const LOG_MEMBERS_MAX = 64;
export const LOG_TEXT_CHARS_MAX = 2048;

/** The default timeout of a waiting verb, and how often it checks while nothing seems to happen. */
export const WAIT_MS = 30_000;
export const WAIT_LOOK_MS = 100;
export const ACT_MS = 5_000;
/** Longer than a frame, for tabs without frames. */
export const READY_LOOK_MS = 40;
/** After an action, the page has settled when nothing has changed for this long; requests in progress extend that. */
export const SETTLE_QUIET_MS = 60;
/** How long to wait for a first change: menus open late, and those on hover later still. */
export const SETTLE_FIRST_MS = 150;
export const SETTLE_HOVER_MS = 400;
export const SETTLE_MS_MAX = 600;
export const SETTLE_REQUESTS_MS_MAX = 2_000;
/** A longer frame counts as this long: in it the page, or the machine, had no time for pending work. */
export const SETTLE_FRAME_MS_MAX = 100;
/** Less than a frame's time is waited for by a timer, once the page has had this many frames without a change. */
export const SETTLE_FRAME_MS = 17;
export const SETTLE_FRAMES_MIN = 3;
/** Style rules that are checked for `:hover`. */
export const HOVER_RULES_MAX = 20_000;
/** Between pressing and releasing: Excalidraw's text tool takes anything below 80 ms for a slip. */
export const PRESS_MS = 100;
export const PRESS_MS_MAX = 10_000;
/** Keys to move a slider that accepts nothing but keys. */
export const SLIDER_KEYS_MAX = 1_000;
export const DRAG_STEPS = 8;
/** The scroll event comes with the first frame, the drawing for it with the second. */
export const SCROLL_FRAMES = 3;
/** Frames within which smooth scrolling by the wheel must come to rest. */
export const SCROLL_REST_FRAMES_MAX = 60;
/** With real input, a slider is moved by keys if that takes no more than this many. */
export const SLIDER_REAL_KEYS_MAX = 100;
/** How often, and after which pause, replacing an editor's text is tried again if the old text was kept. */
export const REFILL_TRIES_MAX = 4;
export const REFILL_PAUSE_MS = 120;

export const TOPIC_REQUEST_MS = 5_000;
/** Messages to agents and requests to the hub that a page may queue before it has joined. */
export const UNSENT_MAX = 100;

/** How long a call's answer is held back if the call seems to have started a navigation. */
export const NAVIGATION_MS = 3000;
/** After this time, a navigation that has not happened is forgotten. */
export const LEAVING_MS = 30_000;
/** How long goto, back and forward wait for the new document; below the hub's own timeout. */
export const TRAVEL_MS = 9_000;
/** How long the first outline of a loading page waits for something to show. */
export const LOADED_MS = 10_000;
/** How long an outline waits for the load event, from the end of parsing, or from the response while that goes on. */
export const LOADING_MS = 1_000;

/** How often, and how many times, a page that was just loaded is checked for a called tool. */
export const TOOL_LOOK_MS = 50;
export const TOOL_LOOKS_MAX = 40;

/** How long a reloaded page waits for the lock of its former document. */
export const LOCK_WAIT_MS = 5_000;
/** A document that still answers for its session after this time is another tab. */
export const HOLDER_MS = 300;

export const RETRY_FIRST_MS = 100;
export const RETRY_VISIBLE_MS_MAX = 2000;
export const RETRY_HIDDEN_MS_MAX = 5000;

/** Characters of a name, a value and a text in an outline. */
export const OUTLINE_NAME_CHARS_MAX = 80;
export const OUTLINE_VALUE_CHARS_MAX = 60;
export const OUTLINE_TEXT_CHARS_MAX = 100;
export const OUTLINE_OPTIONS_MAX = 4;
/** Lines of preformatted text that are shown. */
export const OUTLINE_PRE_LINES_MAX = 12;
export const OUTLINE_LINES_MAX = 300;
export const OUTLINE_LINES_ALL_MAX = 5_000;
/** A longer row is written with one line per piece. */
export const OUTLINE_ROW_CHARS_MAX = 240;
/** Items of a list that are shown; a list of at most `OUTLINE_ALIKE_MAX` is shown whole. */
export const OUTLINE_ALIKE_SHOWN = 8;
export const OUTLINE_ALIKE_MAX = 12;
/** Above this number, refs whose elements are gone are dropped. */
export const REFS_MAX = 20_000;
/** Agents whose last look is remembered. */
export const LOOK_AGENTS_MAX = 16;
export const CHANGES_MAX = 24;
export const GONE_MAX = 5;
/** Lines that only moved, in one report. */
export const MOVES_MAX = 8;
export const GONE_SHOWN = 3;
export const CANDIDATES_MAX = 6;
/** How long after a change of the document forms are checked for tools. */
export const FORM_LOOK_MS = 100;
/** Tools registered in an incomplete `document.modelContext`: some implementations stop working with more. */
export const PARTIAL_TOOLS_MAX = 30;

/** How long an element is highlighted by default. */
export const HIGHLIGHT_MS = 2000;
export const HIGHLIGHT_MS_MAX = 10_000;

/** The latest requests that `requests` lists; a browser remembers about as many. */
export const REQUESTS_MAX = 250;
export const REQUEST_URL_CHARS_MAX = 500;
