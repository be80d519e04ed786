import"./chunk-QFPQS4PY.js";import{a as e}from"./chunk-5WHD4E2E.js";import"./chunk-HOQCTQEQ.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
