import{a as e}from"./chunk-GH3TU7D3.js";import"./chunk-55N6LIL7.js";import"./chunk-HOQCTQEQ.js";import"./chunk-ILIUVROU.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
