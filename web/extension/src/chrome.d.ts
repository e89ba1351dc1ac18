// The parts of the browser's extension API that this extension uses.

declare namespace chrome {
  export interface Event<Listener extends (...args: never[]) => unknown> {
    addListener(listener: Listener): void;
    removeListener(listener: Listener): void;
  }

  namespace Debugger {
    interface Debuggee {
      readonly tabId?: number;
    }
    interface Session extends Debuggee {
      /** The session of a frame in the tab. */
      readonly sessionId?: string;
    }
    interface TargetInfo {
      readonly id: string;
      readonly tabId?: number;
      readonly type: string;
    }
    function attach(target: Debuggee, version: string): Promise<void>;
    function detach(target: Debuggee): Promise<void>;
    function sendCommand(target: Session, method: string, params?: object): Promise<object | undefined>;
    function getTargets(): Promise<TargetInfo[]>;
    const onEvent: Event<(source: Session, method: string, params?: object) => void>;
    const onDetach: Event<(source: Debuggee, reason: string) => void>;
  }

  export { Debugger as debugger };

  export namespace tabs {
    interface Tab {
      readonly id?: number;
      readonly url?: string;
      readonly pendingUrl?: string;
      readonly title?: string;
      readonly windowId: number;
      readonly active: boolean;
      readonly discarded: boolean;
    }
    function get(tabId: number): Promise<Tab>;
    function update(tabId: number, to: { active?: boolean; url?: string }): Promise<Tab>;
    function reload(tabId: number): Promise<void>;
    function captureVisibleTab(windowId: number, how: { format: "png" }): Promise<string>;
    function query(what: { active?: boolean; currentWindow?: boolean }): Promise<Tab[]>;
    function remove(tabId: number): Promise<void>;
    const onUpdated: Event<(tabId: number, change: { url?: string; status?: string }, tab: Tab) => void>;
    const onAttached: Event<(tabId: number, where: { newWindowId: number }) => void>;
    const onActivated: Event<(active: { tabId: number; windowId: number }) => void>;
    const onRemoved: Event<(tabId: number) => void>;
    const onReplaced: Event<(added: number, removed: number) => void>;
  }

  export namespace storage {
    interface Area {
      get(keys: string | readonly string[]): Promise<Record<string, unknown>>;
      set(items: Record<string, unknown>): Promise<void>;
      remove(keys: string | readonly string[]): Promise<void>;
    }
    const local: Area;
    const session: Area;
  }

  export namespace scripting {
    interface Target {
      readonly tabId: number;
      /** Only these documents; fails if they are gone. */
      readonly documentIds?: readonly string[];
    }
    interface Result {
      readonly documentId: string;
      readonly result?: unknown;
    }
    interface Injection {
      readonly target: Target;
      readonly world?: "ISOLATED" | "MAIN";
      readonly injectImmediately?: boolean;
    }
    function executeScript<A extends readonly unknown[]>(
      injection: Injection & ({ files: readonly string[] } | { func: (...args: A) => unknown; args?: A }),
    ): Promise<Result[]>;
  }

  export namespace permissions {
    interface Permissions {
      readonly origins: readonly string[];
    }
    function contains(permissions: Permissions): Promise<boolean>;
    function request(permissions: Permissions): Promise<boolean>;
    function remove(permissions: Permissions): Promise<boolean>;
    const onAdded: Event<() => void>;
    const onRemoved: Event<() => void>;
  }

  export namespace dom {
    function openOrClosedShadowRoot(element: Element): ShadowRoot | null;
  }

  export namespace alarms {
    function create(name: string, when: { periodInMinutes: number }): Promise<void>;
    const onAlarm: Event<(alarm: { name: string }) => void>;
  }

  export namespace action {
    function setBadgeText(details: { tabId?: number; text: string }): Promise<void>;
    function setBadgeBackgroundColor(details: { tabId?: number; color: string }): Promise<void>;
    function setTitle(details: { tabId?: number; title: string }): Promise<void>;
    function setPopup(details: { tabId?: number; popup: string }): Promise<void>;
    const onClicked: Event<(tab: tabs.Tab) => void>;
  }

  export namespace runtime {
    const id: string;
    function getManifest(): { version: string; permissions: readonly string[] };
    function sendMessage(message: object): Promise<unknown>;
    const onMessage: Event<
      (message: unknown, sender: { id?: string; url?: string }, answer: (value: unknown) => void) => boolean
    >;
    interface Port {
      readonly name: string;
      /** The sender of the connection, as reported by the browser. */
      readonly sender?: {
        readonly tab?: tabs.Tab;
        readonly documentId?: string;
        readonly origin?: string;
        readonly url?: string;
      };
      readonly onMessage: Event<(message: unknown) => void>;
      readonly onDisconnect: Event<() => void>;
      postMessage(message: unknown): void;
      disconnect(): void;
    }
    function connect(how: { name: string }): Port;
    const onConnect: Event<(port: Port) => void>;
    const onInstalled: Event<() => void>;
    const onStartup: Event<() => void>;
  }
}
