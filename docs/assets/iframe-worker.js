// Lets the site's search run from file://, where browsers refuse workers: a hidden frame of the same page plays the worker.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.queue = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      // Frames have to be in the document to run scripts, and a page may ask for its worker before it has a body.
      (document.body || document.documentElement).append(this.frame);
      this.scope = this.frame.contentWindow;
      this.scope.postMessage = (data) => this.deliver(this, data);

      const script = this.scope.document.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = () => this.start();
      script.onerror = (event) => this.dispatchEvent(new ErrorEvent("error", { error: event }));
      this.scope.document.body.append(script);
    }

    // Messages that come before the worker's script has run would be lost; they wait.
    start() {
      const waiting = this.queue;
      this.queue = null;
      for (const data of waiting) this.deliver(this.scope, data);
    }

    postMessage(data) {
      if (this.queue) this.queue.push(data);
      else this.deliver(this.scope, data);
    }

    terminate() {
      this.frame.remove();
    }

    // Later, as a real worker would answer: nobody expects a reply before postMessage returns.
    deliver(target, data) {
      setTimeout(() => target.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
