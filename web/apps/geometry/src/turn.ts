// One turn of the event loop, in which other tasks can run. Unlike a timer or a frame, it is immediate in a hidden tab
// too.

export function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
