// The line between panels and Python: questions go up in batches, answers come down as events.
//
// One batch is under way at a time. Streamlit may drop a question (asked while the page is being
// drawn) or an answer (its run was interrupted): what stays unanswered is asked again.

const lines = new WeakMap();
const PATIENCE = 1_000;
// The page was drawn and the question was not answered: it was dropped, or its answer is close.
const DROPPED = 250;

class Line {
  constructor() {
    this.turn = 0;
    this.patience = 1;
    this.waiting = [];
    this.underway = null;
    this.onAsk = (event) => {
      this.waiting.push(event.detail);
      this.send();
    };
    this.onDrop = (event) => {
      this.waiting = this.waiting.filter(({ id }) => id !== event.detail.id);
    };
    document.addEventListener("checkpointask", this.onAsk);
    document.addEventListener("checkpointaskdropped", this.onDrop);
  }

  /** Panels drawn before this line have asked nobody: let them ask again. */
  announce() {
    document.dispatchEvent(new CustomEvent("checkpointasklistens"));
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("checkpointask", this.onAsk);
    document.removeEventListener("checkpointaskdropped", this.onDrop);
  }

  send() {
    if (this.underway || !this.waiting.length) return;
    this.turn += 1;
    // Turns of an earlier page must not look like this one's.
    this.underway = { turn: `${performance.timeOrigin}-${performance.now()}-${this.turn}`, questions: this.waiting };
    this.waiting = [];
    this.tell("asked", this.underway);
    this.giveUpAfter(PATIENCE * this.patience);
    this.patience = Math.min(this.patience * 2, 8);
  }

  giveUpAfter(milliseconds) {
    const { turn } = this.underway;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.receive({ turn, answers: {} }), milliseconds);
  }

  receive({ turn, answers }) {
    if (!this.underway) return;
    if (turn !== this.underway.turn) {
      this.giveUpAfter(DROPPED);
      return;
    }
    const unanswered = this.underway.questions.filter(({ id }) => !Object.hasOwn(answers, id));
    this.underway = null;
    clearTimeout(this.timer);
    if (!unanswered.length) this.patience = 1;
    for (const [id, answer] of Object.entries(answers)) {
      document.dispatchEvent(new CustomEvent("checkpointanswer", { detail: { id, ...answer } }));
    }
    this.waiting.unshift(...unanswered);
    // Streamlit drops what a component sends while it is being drawn.
    setTimeout(() => this.send(), 0);
  }
}

export default function ask({ data, parentElement, setStateValue }) {
  let line = lines.get(parentElement);
  if (!line) {
    line = new Line();
    lines.set(parentElement, line);
  }
  line.tell = setStateValue;
  if (!line.announced) setTimeout(() => line.announce(), 0);
  line.announced = true;
  parentElement.querySelector(".panel").dataset.rev = "ask";
  line.receive(data);
  return () => {
    line.close();
    lines.delete(parentElement);
  };
}
