import{a as e}from"./chunk-JY4N4YRX.js";import"./chunk-5WHD4E2E.js";import"./chunk-HOQCTQEQ.js";import"./chunk-ILIUVROU.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
