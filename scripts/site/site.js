// Keeps names in blocks of code whole when a line wraps: a browser breaks `--merge` after its dashes.
// Marks names that may be too long for the narrowest window; these are broken if they have to be.
const mark = () => {
  for (const code of document.querySelectorAll("main :not(pre) > code")) {
    code.classList.toggle("long-name", code.textContent.length > 30);
  }
  for (const line of document.querySelectorAll("main pre .code-line")) {
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      const isDone = texts.currentNode.parentElement.classList.contains("whole-name");
      if (!isDone && /[-\/\\]/.test(texts.currentNode.data)) found.push(texts.currentNode);
    }
    for (const text of found) {
      const parts = text.data.split(/(\S*[-\/\\]\S*)/).map((part, index) => {
        if (index % 2 === 0) return part;
        const name = document.createElement("span");
        name.className = part.length <= 40 ? "whole-name" : "whole-name long-name";
        name.textContent = part;
        return name;
      });
      text.replaceWith(...parts);
    }
  }
};
new MutationObserver(mark).observe(document.documentElement, { childList: true, subtree: true });
