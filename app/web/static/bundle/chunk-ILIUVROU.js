function r(t,e){return t.getAttribute(`data-say-${e}`)??""}export{r as a};
