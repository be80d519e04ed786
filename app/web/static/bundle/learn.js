import{a as e}from"./chunk-US7DF4SJ.js";import"./chunk-ILIUVROU.js";import"./chunk-ZXUWJKPO.js";import"./chunk-HOQCTQEQ.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
